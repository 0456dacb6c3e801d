/**
 * Finds archived captures for a unit by asking the controller, so that units never open the store. Only pages that have
 * changed are looked up, and the controller's store is open and warm.
 */
import { OrbweaverError } from '../../core/errors.ts';
import type { PlaceStore } from '../place/read-archived.ts';
import type { FromUnit, PlaceAnswer, PlaceQuestion } from './messages.ts';

export class AskedPlaces implements PlaceStore {
  readonly #post: (question: FromUnit) => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<never>>();
  #questions = 0;

  constructor(post: (question: FromUnit) => void) {
    this.#post = post;
  }

  capturesOf(...words: Parameters<PlaceStore['capturesOf']>): ReturnType<PlaceStore['capturesOf']> {
    return this.#ask({ type: 'question', number: ++this.#questions, call: 'capturesOf', words });
  }

  payloadPlace(...words: Parameters<PlaceStore['payloadPlace']>): ReturnType<PlaceStore['payloadPlace']> {
    return this.#ask({ type: 'question', number: ++this.#questions, call: 'payloadPlace', words });
  }

  archivePlaces(...words: Parameters<PlaceStore['archivePlaces']>): ReturnType<PlaceStore['archivePlaces']> {
    return this.#ask({ type: 'question', number: ++this.#questions, call: 'archivePlaces', words });
  }

  answer({ number, value, error }: PlaceAnswer): void {
    const asked = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (error === null) asked?.resolve(value as never);
    else asked?.reject(new OrbweaverError(error.code, error.message));
  }

  #ask(question: PlaceQuestion): Promise<never> {
    const asked = Promise.withResolvers<never>();
    this.#waiting.set(question.number, asked);
    this.#post(question);
    return asked.promise;
  }
}

/** The controller's side: calls the method of the store that a unit asked for. */
export async function answerFrom(store: PlaceStore, question: PlaceQuestion): Promise<PlaceAnswer> {
  const { number, call, words } = question;
  try {
    const value = await (store[call] as (...words: unknown[]) => Promise<unknown>)(...words);
    return { type: 'answer', number, value, error: null };
  } catch (error) {
    if (!(error instanceof OrbweaverError)) throw error;
    return { type: 'answer', number, value: null, error: { code: error.code, message: error.message } };
  }
}
