export function PageView() { return <p>todo</p>; }
