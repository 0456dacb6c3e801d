/** So that the examples can say `from 'orbweaver'`, as a program that installed it does, and run from the source unbuilt. */
export * from '../src/index.ts';
