// Chromium starts no worker for a page that was opened as a file: the search then runs in a hidden frame instead.
// The theme knows by this file's name that it need not fetch another one from the network.
if (location.protocol === "file:")
  self.Worker = class {
    constructor(script) {
      this.frame = Object.assign(document.createElement("iframe"), { hidden: true });
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.onmessage?.({ data: structuredClone(data) });
      this.ready = new Promise((loaded) => {
        const loading = { src: new URL(script, location), onload: loaded, onerror: () => this.onerror?.() };
        inside.document.head.append(Object.assign(inside.document.createElement("script"), loading));
      });
    }
    postMessage(data) {
      const copy = structuredClone(data);
      this.ready.then(() => this.frame.contentWindow?.onmessage({ data: copy }));
    }
    terminate() {
      this.frame.remove();
    }
  };
