/** How a pattern is compiled: without regard to case, by whole characters where it can be. */
export type CompiledPattern =
  | { readonly source: string; readonly flags: string }
  /** Why it is none, in a few words. */
  | { readonly problem: string };

function problemWith(source: string, flags: string): string | undefined {
  try {
    // Compiling takes no time, whatever the pattern: only matching does, and that is not done here.
    new RegExp(source, flags);
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

/** Understands a regular expression; escapes that mean nothing (`\-`) are allowed, as in most tools. */
export function compilePattern(source: string): CompiledPattern {
  if (problemWith(source, 'iu') === undefined) return { source, flags: 'iu' };
  const message = problemWith(source, 'i');
  if (message === undefined) return { source, flags: 'i' };
  return { problem: message.slice(message.lastIndexOf(': ') + 2).toLowerCase() };
}
