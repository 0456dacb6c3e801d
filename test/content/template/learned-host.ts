/** A host whose pages are lists of blocks of HTML, and what its template says about them. */
import type { TemplateMarks } from '../../../src/content/template/template.ts';
import { Template } from '../../../src/content/template/template.ts';
import { randomNumbers } from '../../change/random-text.ts';
import { pageOf } from '../words-of.ts';

export interface Judged {
  /** The blocks that are template, in order. */
  readonly template: readonly string[];
  readonly newWords: number;
}

export class Host {
  template: Template;
  readonly #random: () => number;

  constructor(random = randomNumbers(1), template = new Template()) {
    this.#random = random;
    this.template = template;
  }

  learn(path: string, blocks: readonly string[]): Judged {
    return told(blocks, this.template.learn(`http://host.test${path}`, pageWith(blocks)));
  }

  judge(path: string, blocks: readonly string[]): Judged {
    return told(blocks, this.template.judge(`http://host.test${path}`, pageWith(blocks)));
  }

  /** A word that no other page has. */
  name(): string {
    return Array.from({ length: 12 }, () => String.fromCharCode(97 + Math.floor(this.#random() * 26))).join('');
  }

  /** So many words that no other page has. */
  prose(words: number): string {
    return Array.from({ length: words }, () => this.name()).join(' ');
  }
}

function pageWith(blocks: readonly string[]) {
  return pageOf(blocks.map((block) => `<div>${block}</div>`).join('\n'));
}

function told(blocks: readonly string[], { marks, newWords }: TemplateMarks): Judged {
  return { template: blocks.filter((_, i) => marks[i] === 1), newWords };
}
