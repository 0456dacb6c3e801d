export function RulesView() { return <p>todo</p>; }
