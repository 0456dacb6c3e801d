export function HostView() { return <p>todo</p>; }
