export function SearchView() { return <p>todo</p>; }
