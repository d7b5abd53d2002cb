"""A headless Chromium, spoken to by the DevTools protocol over pipes: no more than Python and the browser is needed."""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time


def chromium():
    """The browser's program, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def need_viewer(command):
    """Ends the test as skipped where there is no browser, or the command was built without three.js."""
    if chromium() is None:
        print("skipped: there is no Chromium (Debian: chromium)")
        sys.exit(77)
    said = subprocess.run([command, "view", "none.h5", "-o", os.devnull + "/x"], capture_output=True, text=True).stderr
    if "has no viewer" in said:
        print("skipped: the command was built without three.js")
        sys.exit(77)


class Browser:
    """One page. Errors and warnings of its console, and exceptions, are in `complaints`."""

    def __init__(self, seconds=120):
        self.deadline = time.monotonic() + seconds
        self.folder = tempfile.TemporaryDirectory()
        read_here, write_there = os.pipe()
        read_there, write_here = os.pipe()

        # The browser reads from 3 and writes to 4, which may be the pipes' own numbers here.
        high = [os.dup2(fd, 30 + k) for k, fd in enumerate((read_there, write_there))]

        def put():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [chromium(), "--headless", "--no-sandbox", "--remote-debugging-pipe", "--use-angle=swiftshader",
             "--enable-unsafe-swiftshader", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
             "--disable-background-networking", f"--user-data-dir={self.folder.name}", "about:blank"],
            preexec_fn=put, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in (read_there, write_there, *high):
            os.close(fd)
        self.reads, self.writes = read_here, write_here
        self.buffer, self.number, self.session = b"", 0, None
        self.complaints, self.requests = [], []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def close(self):
        os.close(self.writes)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.reads)
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writes, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def receive(self):
        while b"\0" not in self.buffer:
            if time.monotonic() > self.deadline:
                raise TimeoutError("the browser takes too long")
            part = os.read(self.reads, 1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(parameters["exceptionDetails"])[:600])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(a.get("value", a.get("description"))) for a in parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.complaints.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"][:100])
        return message

    def evaluate(self, expression):
        """The value of JavaScript, or of its promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:600])
        return answer["result"].get("value")

    def size(self, width, height, dark=False, ratio=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio,
                  mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, file):
        self.call("Page.navigate", url="file://" + os.path.abspath(file))
        while self.evaluate("document.readyState") != "complete":
            time.sleep(0.02)

    def wait(self, condition):
        while not self.evaluate(condition):
            if time.monotonic() > self.deadline:
                raise TimeoutError(condition)
            time.sleep(0.03)

    def drawn(self):
        """Two pictures later."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def screenshot(self, file=None):
        self.drawn()
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        if file:
            with open(file, "wb") as f:
                f.write(data)
        return data

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def key(self, key, code=None):
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=code or key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code or key)
