export function BrokenView() { return <p>todo</p>; }
