/** Makes a new copy and starts its crawl. */
import { useEffect, useState } from 'preact/hooks';
import { type ApiError, api } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { asApiError } from '../../api/use-answer.ts';
import { navigate } from '../../routing/location.ts';
import { viewPath } from '../../routing/paths.ts';
import { Button, Command } from '../../ui/button.tsx';
import { Field } from '../../ui/fields.tsx';
import { ErrorNote } from '../../ui/states.tsx';

/** The name of the folder that a person would choose: the host of the first address. */
export function nameFor(seeds: string): string {
  const host = /^\s*(?:https?:\/\/)?(?:www\.)?([^/\s:?#]+)/i.exec(seeds)?.[1] ?? '';
  return host
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .slice(0, 60);
}

export function NewCopy() {
  const { list: known, reload } = useSession();
  const [created, setCreated] = useState<string | null>(null);
  const [seeds, setSeeds] = useState('');
  const [name, setName] = useState<string | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const list = seeds.split(/\s+/).filter((seed) => seed !== '');
  const folder = name ?? nameFor(seeds);

  useEffect(() => {
    if (created !== null && known.copies.some(({ id }) => id === created)) navigate(viewPath(created, ''));
  }, [created, known]);

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const { id } = await api.send('createCopy', {}, { seeds: list, name: folder });
      setCreated(id);
      reload();
    } catch (fault) {
      setError(asApiError(fault));
    }
    setBusy(false);
  };

  return (
    <section class="section" aria-labelledby="new-copy">
      <h2 id="new-copy">New copy</h2>
      <form class="form" onSubmit={submit}>
        <Field id="seeds" label="Addresses to start from" hint="One or more. Pages below them are crawled.">
          <textarea
            class="input"
            id="seeds"
            rows={2}
            aria-describedby="seeds-hint"
            placeholder="https://www.example.org/docs/"
            value={seeds}
            onInput={(event) => setSeeds(event.currentTarget.value)}
          />
        </Field>
        <Field id="name" label="Name" hint="The new folder. Letters, digits, - and _.">
          <input
            class="input"
            id="name"
            aria-describedby="name-hint"
            pattern="[A-Za-z0-9_\-]{1,60}"
            value={folder}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        {error && <ErrorNote error={error} />}
        <div class="form-foot">
          <Button type="submit" kind="primary" icon="play" isDisabled={isBusy || list.length === 0 || folder === ''}>
            Start the crawl
          </Button>
          {list.length > 0 && <Command text={`orbweaver crawl ${list.join(' ')} --dir ${folder}`} />}
        </div>
      </form>
    </section>
  );
}
