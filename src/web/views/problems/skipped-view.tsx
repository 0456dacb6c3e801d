export function SkippedView() { return <p>todo</p>; }
