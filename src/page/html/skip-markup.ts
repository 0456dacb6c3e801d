/**
 * Finds the ends of comments, scripts and raw text, which contain no markup. Each search continues where the previous
 * one stopped. A hostile page with a million openings is therefore still read in linear time.
 */
import { equalsLowerCase } from './html-names.ts';
import { endsTagName } from './scan-tag.ts';

export class MarkupSkipper {
  readonly #html: string;
  readonly #commentEnd: NextOccurrence;
  /** The elements whose end tag does not occur any more. */
  readonly #endless = new Set<string>();
  #noscriptEnd = -1;

  constructor(html: string) {
    this.#html = html;
    this.#commentEnd = new NextOccurrence(html, '-->');
  }

  /**
   * Called with the position after `<noscript>`. Returns the position of its end tag. A browser with scripting reads
   * the content as text and goes on there. So nothing inside is skipped past the end tag: without scripting, an
   * `<iframe>` or a comment that a `<noscript>` leaves open would hide the rest of the page.
   */
  enterNoscript(from: number): number {
    if (from > this.#noscriptEnd) this.#noscriptEnd = this.rawTextEnd(from, 'noscript');
    return this.#noscriptEnd;
  }

  #limit(from: number): number {
    return from <= this.#noscriptEnd ? this.#noscriptEnd : this.#html.length;
  }

  /**
   * The position after the comment whose `<!--` is at `open`. `<!-->` and `<!--->` are
   * complete comments, and `--!>` also ends a comment.
   */
  afterComment(open: number): number {
    const limit = this.#limit(open);
    const end = Math.min(limit, this.#commentEnd.from(open + 2));
    // Searched only up to the next `-->`. Most pages have no `--!>` and would be searched to their end.
    const bangEnd = this.#html.slice(open + 4, end).indexOf('--!>');
    return bangEnd >= 0 ? open + 4 + bangEnd + 4 : Math.min(limit, end + 3);
  }

  /** The position after the `>` that ends a bogus comment, a doctype or a processing instruction. */
  afterGreater(from: number): number {
    const end = this.#html.indexOf('>', from);
    return end < 0 ? this.#limit(from) : Math.min(this.#limit(from), end + 1);
  }

  afterCdata(open: number): number {
    const end = this.#html.indexOf(']]>', open + 9);
    return end < 0 ? this.#html.length : end + 3;
  }

  /** The position of the `</name` that ends the raw text from `from` on, or the end of the document or noscript. */
  rawTextEnd(from: number, name: string): number {
    const html = this.#html;
    const limit = this.#limit(from);
    if (name === 'plaintext' || this.#endless.has(name)) return limit;
    for (let at = html.indexOf('</', from); at >= 0 && at < limit; at = html.indexOf('</', at + 2)) {
      if (this.#isName(at + 2, name)) return at;
    }
    if (limit === html.length) this.#endless.add(name);
    return limit;
  }

  /**
   * Like rawTextEnd, for a script. In `<!-- <script> … </script> -->`, the inner `</script>` does not end the script
   * (HTML standard 13.2.5.15–31, the script data escaped and double escaped states).
   */
  scriptEnd(from: number): number {
    const html = this.#html;
    const limit = this.#limit(from);
    let at = from;
    let end = -1;
    for (;;) {
      if (end < at) end = this.rawTextEnd(at, 'script');
      const inScript = html.slice(at, end).indexOf('<!--');
      if (inScript < 0) return end;
      const comment = at + inScript;
      const commentEnd = Math.min(limit, this.#commentEnd.from(comment + 2));
      const inside = this.#escapedScriptEnd(comment + 4, commentEnd);
      if (inside >= 0) return inside;
      if (commentEnd >= limit) return limit;
      at = commentEnd + 3;
    }
  }

  /**
   * The position of the end tag that ends the script inside an escaped part, or -1 if the escaped part has no such tag.
   */
  #escapedScriptEnd(from: number, escapedEnd: number): number {
    const html = this.#html;
    let doubleEscaped = false;
    for (let at = html.indexOf('<', from); at >= 0 && at < escapedEnd; at = html.indexOf('<', at + 1)) {
      if (html.charCodeAt(at + 1) === 47) {
        if (!this.#isName(at + 2, 'script')) continue;
        if (!doubleEscaped) return at;
        doubleEscaped = false;
      } else if (!doubleEscaped && this.#isName(at + 1, 'script')) doubleEscaped = true;
    }
    return -1;
  }

  #isName(at: number, name: string): boolean {
    const after = at + name.length;
    return (
      after < this.#html.length && equalsLowerCase(this.#html, at, name) && endsTagName(this.#html.charCodeAt(after))
    );
  }
}

/** indexOf for positions that only increase. It remembers the last match, and also that there is no further match. */
export class NextOccurrence {
  readonly #html: string;
  readonly #needle: string;
  #at = -1;

  constructor(html: string, needle: string) {
    this.#html = html;
    this.#needle = needle;
  }

  /** The first match at or after `from`, or the length of the document. `from` never decreases. */
  from(from: number): number {
    if (this.#at < from) {
      const at = this.#html.indexOf(this.#needle, from);
      this.#at = at < 0 ? this.#html.length : at;
    }
    return this.#at;
  }
}
