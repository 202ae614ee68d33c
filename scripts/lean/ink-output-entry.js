import { styledCharsToString } from '@alcalzone/ansi-tokenize';
import Stock from 'ink-stock-output';
import { leanOutput } from './ink-output.ts';

export default leanOutput(Stock, styledCharsToString);
