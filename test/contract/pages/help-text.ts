/** What a program's help says, as commander prints it. */

/** The lines below `Commands:`, without the help itself. */
export function commandsOf(help: string): { name: string; hasOptions: boolean; argumentNames: string[] }[] {
  const [, commands = ''] = /^Commands:\n((?: {2}.*\n?)*)/m.exec(help) ?? [];
  return [...commands.matchAll(/^ {2}(\w[\w-]*)((?: [[<]\S+)*)/gm)]
    .map(([, name = '', rest = '']) => ({
      name,
      hasOptions: rest.includes('[options]'),
      argumentNames: rest.split(' ').filter((word) => word.startsWith('<')),
    }))
    .filter(({ name }) => name !== 'help');
}

/** Its options but `--help`, such as `--port <number>`. */
export function optionsOf(help: string): string[] {
  const [, options = ''] = /^Options:\n((?: {2}.*\n)*)/m.exec(help) ?? [];
  return [...options.matchAll(/^ {2}(?:-\w, )?(--\S+(?: (?:<[^>]+>|\[[^\]]+\]))?)/gm)]
    .map(([, option = '']) => option)
    .filter((option) => option !== '--help');
}
