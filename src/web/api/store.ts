/** A value that views follow. A view is drawn again only when its part of the value has changed. */
import { useEffect, useState } from 'preact/hooks';

export interface Store<T> {
  get(): T;
  set(next: T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T, S>(store: Store<T>, select: (value: T) => S): S {
  const [selected, setSelected] = useState(() => select(store.get()));
  // The listener stays, because `select` depends on nothing but the value.
  useEffect(() => {
    const update = (): void => setSelected(() => select(store.get()));
    update();
    return store.subscribe(update);
  }, [store]);
  return selected;
}
