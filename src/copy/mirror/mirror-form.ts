/**
 * The mirror as a form of export: every response is a file, and the references of pages and style sheets are rewritten.
 */
import type { FileForm } from '../files/file-form.ts';
import { indexPage, unreadablePage } from './index-page.ts';
import { rewriteBody } from './rewrite/rewrite-body.ts';

export const MIRROR_FORM: FileForm = {
  name: 'mirror',
  fileType: (mediaType) => mediaType,
  isPage: (fileType) => fileType.includes('html'),
  index: indexPage,
  render: rewriteBody,
  unreadable: unreadablePage,
};
