import { Head } from '../ui/toolbar.tsx';

/** The address names no view. */
export function NotFound() {
  return (
    <>
      <Head title="There is nothing at this address" />
      <p>
        The address may be mistyped. <a href="/">All copies</a>
      </p>
    </>
  );
}
