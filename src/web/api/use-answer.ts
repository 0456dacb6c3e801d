/**
 * Keeps the answer of a route in a view. While a new answer is on its way, the view shows the earlier one; going back
 * shows the earlier answer at once and asks again.
 */
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Answer, Query } from '../../serve/contract/routes.ts';
import { ApiError, addressOf, api, type Get, type PathParts } from './client.ts';

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  /** The answer belongs to an earlier query. */
  readonly isOld: boolean;
  readonly reload: () => void;
}

const MAX_CACHED = 40;
const cache = new Map<string, unknown>();

interface State<T> {
  readonly address: string;
  readonly data?: T;
  readonly error?: ApiError;
}

/** Asks nothing while `parts` is null. */
export function useAnswer<N extends Get>(name: N, parts: PathParts | null, query?: Query<N>): Loaded<Answer<N>> {
  const address = parts === null ? '' : addressOf(name, parts, query);
  const [state, setState] = useState<State<Answer<N>>>({ address: '' });
  const [round, setRound] = useState(0);

  // The address has all parts and the query.
  useEffect(() => {
    if (parts === null) return;
    const abort = new AbortController();
    api.get(name, parts, query, abort.signal).then(
      (data) => {
        remember(address, data);
        setState({ address, data });
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setState({ address, error: asApiError(error) });
      },
    );
    return () => abort.abort();
  }, [address, round]);

  const reload = useCallback(() => setRound((before) => before + 1), []);
  const cached = cache.get(address) as Answer<N> | undefined;
  const isCurrent = state.address === address;
  const error = isCurrent ? state.error : undefined;
  const data = isCurrent ? state.data : (cached ?? state.data);
  const isOld = !isCurrent && cached === undefined && data !== undefined;
  return { data: error ? undefined : data, error, isLoading: address !== '' && !isCurrent, isOld, reload };
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('unknown', 0, 'The answer of the server cannot be read.');
}

function remember(address: string, data: unknown): void {
  cache.delete(address);
  cache.set(address, data);
  if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!);
}
