import { randomInt, randomUUID } from 'node:crypto';

/** 2015-01-01 UTC. */
const EPOCH_MS = 1_420_070_400_000;
const COUNTER_BITS = 22;
const ENTRY_ID_ATTEMPTS = 100;

let counter = randomInt(2 ** COUNTER_BITS);

/** Session ids: 16 lower-case hex digits that sort by time, a counter telling those of one millisecond apart. */
export const Snowflake = {
  next(nowMs: number = Date.now()): string {
    counter = (counter + 1) % 2 ** COUNTER_BITS;
    const id = (BigInt(nowMs - EPOCH_MS) << BigInt(COUNTER_BITS)) | BigInt(counter);
    return id.toString(16).padStart(16, '0');
  },
};

/** A new entry's id: 8 characters that `isTaken` knows nothing of; 16 in the unlikely case that none is free. */
export function createEntryId(isTaken: (id: string) => boolean): string {
  for (let attempt = 0; attempt < ENTRY_ID_ATTEMPTS; attempt++) {
    const id = randomUUID().slice(-8);
    if (!isTaken(id)) return id;
  }
  return randomUUID().replaceAll('-', '').slice(-16);
}
