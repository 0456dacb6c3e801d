/** Lets the examples import 'orbweaver' like a program that installed it, and run from the sources without a build. */
export * from '../src/index.ts';
