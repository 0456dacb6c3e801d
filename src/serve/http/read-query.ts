/** Reads the query of an address by the schema of its route. Unknown and repeated parameters are refused. */
import { ROUTES, type Route, type RouteName } from '../contract/routes.ts';
import { ApiError } from './api-error.ts';

export function readQuery(name: RouteName, query: URLSearchParams): unknown {
  const { query: schema }: Route = ROUTES[name];
  if (schema === undefined) {
    if (query.size > 0) throw new ApiError('BAD_REQUEST', 'this address takes no parameters');
    return {};
  }
  const given: Record<string, unknown> = {};
  for (const [field, text] of query) {
    if (Object.hasOwn(given, field))
      throw new ApiError('BAD_REQUEST', `the parameter ${field.slice(0, 40)} is given twice`);
    const known = Object.hasOwn(schema.fields, field) ? schema.fields[field] : undefined;
    given[field] = known?.fromText?.(text) ?? text;
  }
  return schema.parse(given, '');
}
