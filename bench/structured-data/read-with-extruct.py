"""Reads pages with extruct. In: a JSON object per line on stdin (name, html). Out: a JSON object per line."""
import json
import logging
import signal
import sys
import time

import extruct

URL = "http://www.example.com/page.html"
SYNTAXES = ["json-ld", "microdata", "rdfa", "opengraph", "dublincore", "microformat"]
SECONDS_PER_SYNTAX = 60


def stop(signal_number, frame):
    raise TimeoutError(f"more than {SECONDS_PER_SYNTAX} s")


def read(html, syntax):
    signal.alarm(SECONDS_PER_SYNTAX)
    started = time.process_time()
    try:
        found = extruct.extract(html, base_url=URL, syntaxes=[syntax], errors="strict")[syntax]
        return {"found": found, "seconds": time.process_time() - started}
    except Exception as error:  # Every error counts as a page that extruct cannot read.
        return {"error": f"{type(error).__name__}: {error}"[:200], "seconds": time.process_time() - started}
    finally:
        signal.alarm(0)


logging.disable(logging.CRITICAL)
signal.signal(signal.SIGALRM, stop)
for line in sys.stdin:
    page = json.loads(line)
    found = {syntax: read(page["html"], syntax) for syntax in SYNTAXES}
    print(json.dumps({"name": page["name"], "found": found}, default=str), flush=True)
