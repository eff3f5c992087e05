// A student's Python in a worker: begun for every run, ended when the time is over.
export interface PythonResult {
  data?: unknown;
  error?: string;
  line?: number;
  file?: string;
}

/** Time that a student's program may take [s], and for which nothing of Python may come while it is loaded [s]. */
export const LIMIT = 5;
const LOADING = 60;
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

export class PythonRun {
  private worker: Worker | null = null;
  private end: (result: PythonResult) => void = () => {};

  constructor(private print: (text: string) => void, private state: (text: string) => void) {}

  get running(): boolean {
    return this.worker !== null;
  }

  run(job: { sources: string; geometry: string; current: string; task: string; inputs: string }): Promise<PythonResult> {
    this.stop();
    return new Promise((good) => {
      const worker = new Worker(new URL("./lessons_worker.ts", import.meta.url), { type: "module" });
      this.worker = worker;
      let loaded = "";
      const loading = () => setTimeout(() => this.end({ error: `Python could not be loaded: nothing has come for ${LOADING} s${loaded}` }), LOADING * 1000);
      let timer = loading();
      this.end = (result) => {
        clearTimeout(timer);
        // The only way to end a loop without end.
        worker.terminate();
        if (this.worker === worker) this.worker = null;
        this.end = () => {};
        good(result);
      };
      this.state("Python is loading…");
      worker.onerror = (event) => this.end({ error: event.message || "Python's worker could not begin" });
      worker.onmessage = ({ data }) => {
        if (this.worker !== worker) return;
        if (data.type === "loading") {
          // However slow the way is, it goes on.
          clearTimeout(timer);
          timer = loading();
          loaded = `, ${megabytes(data.bytes)} MB are there`;
          this.state(`Python is loading… ${megabytes(data.bytes)} MB`);
        } else if (data.type === "ready") {
          clearTimeout(timer);
          timer = setTimeout(() => this.end({ error: `stopped after ${LIMIT} s; is there a loop without end?` }), LIMIT * 1000);
          this.state("Running…");
          worker.postMessage(job);
        } else if (data.type === "print") this.print(String(data.text));
        else if (data.type === "failed") this.end({ error: `Python could not be loaded: ${data.text}` });
        else if (data.type === "done") this.end(JSON.parse(data.text));
      };
    });
  }

  stop(): void {
    this.end({ error: "stopped" });
  }
}
