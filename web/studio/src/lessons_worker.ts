// Runs a student's Python in a worker, which the page ends when it takes too long. The server lets this worker load
// Python's own files and nothing else, so what runs here cannot talk to the studio.
interface Python {
  globals: { set(name: string, value: unknown): void };
  runPython(code: string): string;
  setStdout(options: { batched: (text: string) => void }): void;
  setStderr(options: { batched: (text: string) => void }): void;
}

const HARNESS = `
import json, math, sys, traceback, types

def _lesson(sources, geometry, current, task, inputs):
    sources, geometry, inputs = json.loads(sources), json.loads(geometry), json.loads(inputs)
    leg = types.ModuleType("leg", "The planar leg: lengths in metres, angles in radians.")
    leg.HIP = tuple(geometry["base"])
    leg.THIGH, leg.TIBIA, leg.FOOT = geometry["lengths"]
    leg.ZERO, leg.LOWER, leg.UPPER = (tuple(geometry[name]) for name in ("zero", "lower", "upper"))
    leg.TARGET, leg.BALL = tuple(geometry["target"]), tuple(geometry["ball"])
    sys.modules["leg"] = leg

    class Finder:
        def find_spec(self, name, path=None, target=None):
            import importlib.util
            return importlib.util.spec_from_loader(name, self) if name in sources else None
        def create_module(self, spec):
            return None
        def exec_module(self, module):
            exec(compile(sources[module.__name__], module.__name__ + ".py", "exec"), module.__dict__)

    sys.meta_path.insert(0, Finder())

    def numbers(value, count, what):
        found = [float(each) for each in value]
        if len(found) != count or not all(map(math.isfinite, found)):
            raise ValueError(f"{what} needs {count} finite numbers, it has {value!r}")
        return found

    def needed(name):
        if name not in space:
            raise NameError(f"this lesson needs '{name}'; define it")
        return space[name]

    space = {"__name__": current}
    try:
        exec(compile(sources[current], current + ".py", "exec"), space)
        if task == "keyframes":
            names = ("duration", "hip_angle", "knee_angle", "ankle_angle")
            rows = []
            for index, each in enumerate(needed("keyframes")):
                for name in names:
                    if name not in each:
                        raise KeyError(f"keyframes[{index}] needs '{name}'")
                rows.append(numbers([each[name] for name in names], 4, f"keyframes[{index}]"))
            data = rows
        elif task == "forward":
            data = []
            for angles in inputs:
                knee, ankle, toe, rotation = needed("forward")(*angles)
                data.append([*numbers(knee, 2, "knee"), *numbers(ankle, 2, "ankle"), *numbers(toe, 2, "toe"), float(rotation)])
                numbers(data[-1], 7, "forward")
        else:
            data = [[numbers(each, 3, "a solution") for each in needed("inverse")(*pose)] for pose in inputs]
        return json.dumps({"data": data})
    except SystemExit:
        return json.dumps({"error": "the program ended itself (SystemExit)", "line": 0, "file": current})
    except BaseException as error:
        line, file = 0, current
        if isinstance(error, SyntaxError) and error.filename and error.filename[:-3] in sources:
            line, file = error.lineno or 0, error.filename[:-3]
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename[:-3] in sources:
                line, file = frame.lineno, frame.filename[:-3]
        if isinstance(error, SyntaxError):
            line = error.lineno or line
        text = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
        return json.dumps({"error": text, "line": line, "file": file})
`;

const MOST = 20_000;

/** What Python needs; it finds them in the browser's cache then. */
const FILES = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];
/** Progress is told at most so often [ms]. */
const TOLD = 200;

/** Fetch all files and tell how far that is; the browser does not tell it of what Python fetches itself. */
async function fetched(folder: string): Promise<void> {
  let bytes = 0;
  let told = 0;
  for (const name of FILES) {
    const answer = await fetch(`${folder}${name}`);
    if (!answer.ok) throw new Error(`${name}: ${(await answer.text()).slice(0, 200) || answer.status}`);
    const reader = answer.body!.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      bytes += part.value.length;
      if (performance.now() - told < TOLD) continue;
      told = performance.now();
      postMessage({ type: "loading", bytes });
    }
    postMessage({ type: "loading", bytes });
  }
}

async function begin(): Promise<void> {
  const folder = new URL("../pyodide/", self.location.href).href;
  await fetched(folder);
  const { loadPyodide } = await import(/* @vite-ignore */ `${folder}pyodide.mjs`);
  const python: Python = await loadPyodide({ indexURL: folder });
  let told = 0;
  const print = (text: string) => {
    if (told > MOST) return;
    told += text.length + 1;
    postMessage({ type: "print", text: told > MOST ? "… more is not shown" : text.slice(0, MOST) });
  };
  python.setStdout({ batched: print });
  python.setStderr({ batched: print });
  python.runPython(HARNESS);
  postMessage({ type: "ready" });
  onmessage = ({ data }) => {
    told = 0;
    for (const [name, value] of Object.entries(data)) python.globals.set(`_${name}`, value);
    const text = python.runPython("_lesson(_sources, _geometry, _current, _task, _inputs)");
    postMessage({ type: "done", text });
  };
}

begin().catch((error: Error) => postMessage({ type: "failed", text: String(error.message ?? error) }));
