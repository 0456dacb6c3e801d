export function ChangesView() { return <p>todo</p>; }
