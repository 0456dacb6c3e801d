"""Reads pages with extruct. In: a JSON object per line on stdin (name, html). Out: a JSON object per line.

extruct does not read Twitter cards. They are read with a query of lxml instead.
"""
import json
import logging
import signal
import sys
import time

import extruct
import lxml.html

URL = "http://www.example.com/page.html"
SYNTAXES = ["json-ld", "microdata", "rdfa", "opengraph", "dublincore", "microformat", "twitter"]
SECONDS_PER_SYNTAX = 60


def stop(signal_number, frame):
    raise TimeoutError(f"more than {SECONDS_PER_SYNTAX} s")


def twitter(html):
    pairs = []
    for meta in lxml.html.fromstring(html).iter("meta"):
        value = meta.get("content", meta.get("value"))
        names = dict.fromkeys((meta.get("property") or "").split() + [(meta.get("name") or "").strip()])
        for name in names:
            if name.lower().startswith("twitter:") and value is not None:
                pairs.append([name, value])
    return pairs


def extract(html, syntax):
    if syntax == "twitter":
        return twitter(html)
    return extruct.extract(html, base_url=URL, syntaxes=[syntax], errors="strict")[syntax]


def read(html, syntax):
    signal.alarm(SECONDS_PER_SYNTAX)
    started = time.process_time()
    try:
        return {"found": extract(html, syntax), "seconds": time.process_time() - started}
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
