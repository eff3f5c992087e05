const e=2e4,t=[`pyodide.mjs`,`pyodide.asm.mjs`,`pyodide.asm.wasm`,`python_stdlib.zip`,`pyodide-lock.json`];async function n(e){let n=0,r=0;for(let i of t){let t=await fetch(`${e}${i}`);if(!t.ok)throw Error(`${i}: ${(await t.text()).slice(0,200)||t.status}`);let a=t.body.getReader();for(let e=await a.read();!e.done;e=await a.read())n+=e.value.length,performance.now()-r<200||(r=performance.now(),postMessage({type:`loading`,bytes:n}));postMessage({type:`loading`,bytes:n})}}async function r(){let t=new URL(`../pyodide/`,self.location.href).href;await n(t);let{loadPyodide:r}=await import(
/* @vite-ignore */
`${t}pyodide.mjs`),i=await r({indexURL:t}),a=0,o=t=>{a>e||(a+=t.length+1,postMessage({type:`print`,text:a>e?`… more is not shown`:t.slice(0,e)}))};i.setStdout({batched:o}),i.setStderr({batched:o}),i.runPython(`
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
`),postMessage({type:`ready`}),onmessage=({data:e})=>{a=0;for(let[t,n]of Object.entries(e))i.globals.set(`_${t}`,n);let t=i.runPython(`_lesson(_sources, _geometry, _current, _task, _inputs)`);postMessage({type:`done`,text:t})}}r().catch(e=>postMessage({type:`failed`,text:String(e.message??e)}));