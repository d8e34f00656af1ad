# SPDX-License-Identifier: MIT
# bash completion for ticklog. Commands and options come from its own help, so that they are those
# of the installed program.
# shellcheck shell=bash
_ticklog() {
	local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} words
	if [ "$COMP_CWORD" -eq 1 ]; then
		words=$("$program" --help 2>/dev/null |
			awk '/^Commands:/ { on = 1; next } on && /^  / { print $1; next } { on = 0 }')
		words="$words --help --version"
	elif [[ $word == -* ]]; then
		words=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null |
			grep -oE -e '--[a-z][a-z0-9-]*' | sort -u)
		words="$words --help"
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		compopt -o filenames 2>/dev/null
		return
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _ticklog ticklog
