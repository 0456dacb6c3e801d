import { Head } from '../ui/toolbar.tsx';

/** The address names no view. */
export function NotFound() {
  return (
    <>
      <Head title="There is nothing at this address" />
      <p>
        The address may be mistyped, or the server shows other copies now. <a href="/">All copies</a>
      </p>
    </>
  );
}
