/** Starts the interface in the browser. */
import { render } from 'preact';
import { takeTokenFromAddress } from './api/token.ts';
import { followLinks } from './routing/location.ts';
import { App } from './shell/app.tsx';
import { applyTheme } from './ui/theme.tsx';

takeTokenFromAddress();
applyTheme();
followLinks();
render(<App />, document.getElementById('app')!);
