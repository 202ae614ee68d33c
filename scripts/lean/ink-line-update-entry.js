import real from 'ink-stock-line-update';
import { leanLineUpdate } from './ink-line-update.ts';

export default leanLineUpdate(real);
