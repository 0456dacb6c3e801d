export function SitesView() { return <p>todo</p>; }
