"""Gives a folder of web pages out on this computer: python serve.py [FOLDER] [--port N] [--open]

Without FOLDER that in which this file lies. It needs nothing but Python, and no network.
"""

from __future__ import annotations

import argparse
import functools
import webbrowser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TYPES = {
    ".css": "text/css",
    ".html": "text/html; charset=utf-8",
    ".ipynb": "application/json",
    ".js": "text/javascript",
    ".json": "application/json",
    ".md": "text/markdown; charset=utf-8",
    ".mjs": "text/javascript",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".whl": "application/zip",
    ".woff2": "font/woff2",
    ".zip": "application/zip",
}


class StaticFiles(SimpleHTTPRequestHandler):
    """Serves one folder, with the types browsers insist on and a check for news on every request."""

    protocol_version = "HTTP/1.1"
    extensions_map = {"": "application/octet-stream", **TYPES}  # noqa: RUF012  (as the class it extends has it)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: a page makes a hundred requests."""


def server(folder: Path, port: int = 0, handler: type[StaticFiles] = StaticFiles) -> ThreadingHTTPServer:
    """A server of `folder` on 127.0.0.1, bound, not yet serving; port 0 is any free one. OSError: it is taken."""
    return ThreadingHTTPServer(("127.0.0.1", port), functools.partial(handler, directory=str(folder)))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path, nargs="?", default=Path(__file__).resolve().parent)
    options.add_argument("--port", type=int, default=8000)
    options.add_argument("--open", action="store_true", help="open the page in the browser")
    asked = options.parse_args()
    try:
        serving = server(asked.folder, asked.port)
    except OSError:
        serving = server(asked.folder)
        print(f"port {asked.port} is taken, using another")
    address = f"http://127.0.0.1:{serving.server_address[1]}"
    print(f"\n  Lorelite   {address}/\n  notebooks  {address}/lite/\n\nCtrl+C stops the server.", flush=True)
    if asked.open:
        webbrowser.open(f"{address}/")
    try:
        serving.serve_forever()
    except KeyboardInterrupt:
        print()


if __name__ == "__main__":
    main()
