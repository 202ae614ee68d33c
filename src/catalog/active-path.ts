import { SessionError } from '../errors.ts';
import { SessionFile } from '../session/scan.ts';
import { idAt, skeletonPath } from '../session/skeleton.ts';
import { SkeletonBuilder } from '../session/skeleton-builder.ts';

/** The ids of the entries from root to leaf of a session; undefined when its file cannot be read. */
export function activePathOf(path: string): ReadonlySet<string> | undefined {
  try {
    using file = new SessionFile(path);
    const builder = new SkeletonBuilder();
    for (const record of file.records('skeleton', undefined, builder)) builder.add(record);
    const skeleton = builder.finish();
    return new Set(skeletonPath(skeleton, skeleton.leaf).map((at) => idAt(skeleton, at)));
  } catch (error) {
    if (error instanceof SessionError) return undefined;
    throw error;
  }
}
