/** The shells that completion is printed for. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type ShellName = (typeof shells)[number];

/** The key that puts a prompt on the command line: bash, zsh and fish all leave Alt+J free. */
export const PROMPT_KEY = 'Alt+J';
