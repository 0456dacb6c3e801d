export function AdvancedView() { return <p>todo</p>; }
