/** What a list of sessions can be sorted by. */
export const sortNames = ['recent', 'created', 'cost', 'size', 'relevance'] as const;
export type SortName = (typeof sortNames)[number];
