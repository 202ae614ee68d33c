import { leanStringWidth } from './string-width.ts';

// `require` defers the module within the bundle.
export default leanStringWidth(() => require('string-width').default);
