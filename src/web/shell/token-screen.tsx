/** Shown where the server answers nothing without a token. */
import { useState } from 'preact/hooks';
import { storeToken } from '../api/token.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/fields.tsx';
import { Logo } from '../ui/icon.tsx';

/** People paste the token, or the whole link that contains it. */
export function tokenIn(text: string): string {
  return text.trim().split('#token=').at(-1)!;
}

export function TokenScreen({ wasRefused, onToken }: { readonly wasRefused: boolean; readonly onToken: () => void }) {
  const [text, setText] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    if (tokenIn(text) === '') return;
    storeToken(tokenIn(text));
    onToken();
  };
  return (
    <main class="token-screen">
      <Logo />
      <h1>Orbweaver</h1>
      <p>
        This server needs a token. <code>orbweaver serve</code> printed a link that contains it. Open that link, or
        paste it here.
      </p>
      {wasRefused && (
        <p class="note note-bad" role="alert">
          The server did not accept the token. It makes a new one with every start, unless it was given one.
        </p>
      )}
      <form onSubmit={submit}>
        <Field id="token" label="Link or token">
          <input
            class="input"
            id="token"
            type="password"
            autocomplete="off"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </Field>
        <Button type="submit" kind="primary">
          Continue
        </Button>
      </form>
    </main>
  );
}
