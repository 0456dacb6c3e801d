/**
 * Sends the requests of the controller through a unit. In: a URL. Out: its outcome, with the decoded body only. The
 * unit is one that loads its code for the run anyway. If it has ended (a run that drains still releases the leases of
 * watchers), a unit of its own is started.
 */
import type { Clock } from '../../core/clock.ts';
import type { Fetcher } from '../../fetch/fetcher.ts';
import { type FetchOutcome, headerValue, refusedOutcome } from '../../fetch/outcome.ts';
import type { ControllerRequest, PlainOutcome, RequestRules } from '../unit/messages.ts';
import { UnitThread } from './unit-thread.ts';

export class UnitFetcher implements Pick<Fetcher, 'fetch' | 'abort' | 'closeHost' | 'close'> {
  readonly #rules: RequestRules;
  readonly #clock: Clock;
  #unit: UnitThread | null;
  #own: UnitThread | null = null;
  #isPrepared = false;
  #isClosed = false;
  #number = 0;
  /** Requests without a response. They get null if the unit ends. */
  readonly #waiting = new Map<number, (outcome: PlainOutcome | null) => void>();

  /** `unit` may still be loading its code. Null if there is none. */
  constructor(unit: UnitThread | null, rules: RequestRules, clock: Clock) {
    this.#unit = unit;
    this.#rules = rules;
    this.#clock = clock;
  }

  async fetch(url: string, headers: Readonly<Record<string, string>> = {}): Promise<FetchOutcome> {
    // A unit that is draining may end before it reads the request.
    const plain = (await this.#ask(url, headers)) ?? (await this.#ask(url, headers));
    return plain === null ? refusedOutcome(url, this.#clock.now(), 'connection-reset') : outcomeOf(plain);
  }

  abort(host: string): void {
    this.#tell(this.#unit, { type: 'abort', host });
  }

  closeHost(host: string): void {
    this.#tell(this.#unit, { type: 'close', host });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#giveUp();
    await this.#own?.end();
  }

  async #ask(url: string, headers: Readonly<Record<string, string>>): Promise<PlainOutcome | null> {
    if (this.#isClosed) return null;
    const unit = this.#preparedUnit();
    const number = ++this.#number;
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve);
      this.#tell(unit, { type: 'send', number, url, headers });
    });
  }

  #preparedUnit(): UnitThread {
    if (this.#unit === null || this.#unit.drained) {
      this.#own = new UnitThread('requests');
      this.#unit = this.#own;
      this.#isPrepared = false;
    }
    const unit = this.#unit;
    if (this.#isPrepared) return unit;
    this.#isPrepared = true;
    unit.onResponse(({ number, outcome }) => {
      this.#waiting.get(number)?.(outcome);
      this.#waiting.delete(number);
    });
    void unit.gone.then(() => {
      if (this.#unit === unit) this.#unit = null;
      this.#giveUp();
    });
    this.#tell(unit, { type: 'rules', rules: this.#rules });
    return unit;
  }

  #tell(unit: UnitThread | null, request: ControllerRequest): void {
    unit?.post({ type: 'controller', request });
  }

  #giveUp(): void {
    for (const resolve of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
  }
}

function outcomeOf(plain: PlainOutcome): FetchOutcome {
  const { buffer, byteOffset, byteLength } = plain.decoded;
  return {
    ...plain,
    body: [],
    decoded: Buffer.from(buffer, byteOffset, byteLength),
    header: (name) => headerValue(plain.rawHeaders, name),
    release: () => {},
  };
}
