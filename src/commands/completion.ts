import type { Command } from 'commander';
import { print } from '../output.ts';
import { type CommandWords, commandWords } from './completion-words.ts';
import { PROMPT_KEY, type ShellName } from './shells.ts';

/** How a script says where a command ends in the next one: `' list'`, `'history rm'`. */
function steps(words: readonly CommandWords[]): string[] {
  return words.flatMap(({ path, commands }) => commands.map(({ name }) => quote(`${path} ${name}`)));
}

/** Always quoted, so that a blank or an empty text stays one word. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

interface ValueCase {
  readonly path: string;
  readonly flags: readonly string[];
  readonly values: readonly string[];
}

function valueCases(words: readonly CommandWords[]): ValueCase[] {
  return words.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value }) => (Array.isArray(value) ? [{ path, flags, values: value }] : [])),
  );
}

function flagsOf(words: readonly CommandWords[], kind: 'folder' | 'text'): string[] {
  const options = words.flatMap((command) => command.options).filter(({ value }) => value === kind);
  return [...new Set(options.flatMap(({ flags }) => flags))];
}

/** What may stand at the cursor after a command: its commands, words and options. */
function following({ commands, options, choices }: CommandWords): { readonly word: string; readonly help: string }[] {
  return [
    ...commands.map(({ name, description }) => ({ word: name, help: description })),
    ...choices.map((word) => ({ word, help: '' })),
    ...options.flatMap(({ flags, description }) => flags.map((word) => ({ word, help: description }))),
  ];
}

function bashScript(words: readonly CommandWords[]): string {
  const lines = (list: readonly string[]): string => `$'${list.join('\\n')}'`;
  const at = (flag: string): string => `*:${flag}`;
  const values = valueCases(words).map(
    ({ path, flags, values: list }) =>
      `    ${flags.map((flag) => quote(`${path}:${flag}`)).join(' | ')}) words=${lines(list)} ;;`,
  );
  const cases = words.map(
    (command) => `      ${quote(command.path)}) words=${lines(following(command).map(({ word }) => word))} ;;`,
  );
  return `# Bough for bash: completion, and ${PROMPT_KEY} puts a prompt from the history on the command line.
# In ~/.bashrc: eval "$(bough completion bash)"
_bough() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command='' words='' index word
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$command \${COMP_WORDS[index]}" in
    ${steps(words).join(' | ')}) command="\${command:+$command }\${COMP_WORDS[index]}" ;;
    esac
  done
  COMPREPLY=()
  case "$command:$previous" in
    ${flagsOf(words, 'folder').map(at).join(' | ')})
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$current")
      return
      ;;
    ${flagsOf(words, 'text').map(at).join(' | ')}) return ;;
${values.join('\n')}
    *)
      case "$command" in
${cases.join('\n')}
      esac
      ;;
  esac
  local IFS=$'\\n'
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")
}
complete -o bashdefault -o default -F _bough bough

# Quoted, so that it is one word and does nothing by itself.
_bough_prompt() {
  local prompt
  prompt=$(bough history) && prompt=\${prompt@Q} || return 0
  READLINE_LINE=\${READLINE_LINE:0:READLINE_POINT}$prompt\${READLINE_LINE:READLINE_POINT}
  ((READLINE_POINT += \${#prompt}))
}
if [[ $- == *i* ]]; then
  bind -m emacs -x '"\\ej": _bough_prompt'
  bind -m vi-insert -x '"\\ej": _bough_prompt'
fi
`;
}

function zshScript(words: readonly CommandWords[]): string {
  const described = ({ word, help }: { readonly word: string; readonly help: string }): string =>
    quote(help === '' ? word : `${word}:${help.replaceAll('\\', '\\\\').replaceAll(':', '\\:')}`);
  const values = valueCases(words).map(
    ({ path, flags, values: list }) =>
      `    (${flags.map((flag) => quote(`${path}:${flag}`)).join('|')}) choices=(${list.map(quote).join(' ')}) ;;`,
  );
  const cases = words.map(
    (command) => `      (${quote(command.path)}) choices=(${following(command).map(described).join(' ')}) ;;`,
  );
  return `#compdef bough
# Bough for zsh: completion, and ${PROMPT_KEY} puts a prompt from the history on the command line.
# In ~/.zshrc, after compinit: eval "$(bough completion zsh)"
_bough() {
  local command='' index
  local -a choices
  for ((index = 2; index < CURRENT; index++)); do
    case "$command \${words[index]}" in
    (${steps(words).join('|')}) command="\${command:+$command }\${words[index]}" ;;
    esac
  done
  case "$command:\${words[CURRENT-1]}" in
    (${flagsOf(words, 'folder')
      .map((flag) => `*:${flag}`)
      .join('|')}) _files -/; return ;;
    (${flagsOf(words, 'text')
      .map((flag) => `*:${flag}`)
      .join('|')}) return ;;
${values.join('\n')}
    (*)
      case "$command" in
${cases.join('\n')}
      esac
      ;;
  esac
  _describe bough choices || _files
}
(( $+functions[compdef] )) && compdef _bough bough

# Quoted, so that it is one word and does nothing by itself.
_bough_prompt() {
  local prompt
  prompt=$(bough history) && LBUFFER+=\${(qq)prompt}
  zle reset-prompt
}
if [[ -o interactive ]]; then
  zle -N _bough_prompt
  bindkey -M emacs '\\ej' _bough_prompt
  bindkey -M viins '\\ej' _bough_prompt
fi
`;
}

function fishQuote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function fishScript(words: readonly CommandWords[]): string {
  const lines: string[] = [];
  for (const { path, commands, options, choices } of words) {
    const here = `complete -c bough -n ${fishQuote(`__bough_at ${fishQuote(path)}`)}`;
    for (const { name, description } of commands) lines.push(`${here} -f -a ${name} -d ${fishQuote(description)}`);
    if (choices.length > 0) lines.push(`${here} -f -a ${fishQuote(choices.join(' '))}`);
    for (const { flags, description, value } of options) {
      const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
      const argument =
        value === undefined
          ? ''
          : value === 'folder'
            ? " -x -a '(__fish_complete_directories)'"
            : value === 'text'
              ? ' -x'
              : ` -x -a ${fishQuote(value.join(' '))}`;
      lines.push(`${here} ${names.join(' ')} -d ${fishQuote(description)}${argument}`);
    }
  }
  return `# Bough for fish: completion, and ${PROMPT_KEY} puts a prompt from the history on the command line.
# In ~/.config/fish/config.fish: bough completion fish | source
function __bough_at
    set -l command ''
    for word in (commandline -opc)[2..-1]
        switch "$command $word"
            case ${steps(words).join(' ')}
                set command (string trim -- "$command $word")
        end
    end
    test "$command" = "$argv[1]"
end
${lines.join('\n')}

# Quoted, so that it is one word and does nothing by itself.
function __bough_prompt
    set -l prompt
    if set prompt (bough history | string collect)
        commandline -i -- (string escape -- $prompt)
    end
    commandline -f repaint
end
if status is-interactive
    bind \\ej __bough_prompt
    bind -M insert \\ej __bough_prompt
end
`;
}

/** What a shell must read to complete the program's commands and to bind the key of the prompt history. */
function completionScript(shell: ShellName, program: Command): string {
  const words = commandWords(program);
  switch (shell) {
    case 'bash':
      return bashScript(words);
    case 'zsh':
      return zshScript(words);
    case 'fish':
      return fishScript(words);
  }
}

/** `bough completion`: prints the script for a shell. */
export async function runCompletion(shell: ShellName, program: Command): Promise<void> {
  await print(completionScript(shell, program));
}
