# Completion of symcast(1) for bash.
_symcast() {
  local word=$2 previous=$3 command=${COMP_WORDS[1]} words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="serve check doctor top --help --version"
  else
    case $previous in
      --config)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -X '!*.toml' -- "$word"; compgen -d -- "$word")
        return
        ;;
      --trace)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -d -- "$word")
        return
        ;;
      --policy) words="symbiosis itcp off" ;;
      --congestion-control)
        words="$(cat /proc/sys/net/ipv4/tcp_available_congestion_control 2>/dev/null)"
        ;;
      --log-level) words="debug info warning error" ;;
      --sort) words="trouble rate rtt retransmits unsent" ;;
      --listen | --source | --interval) return ;;
      *)
        case $command in
          serve)
            words="--help --config --listen --source --policy --congestion-control --trace --log-level"
            ;;
          check)
            words="--help --show --reference"
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -X '!*.toml' -- "$word"; compgen -d -- "$word")
            ;;
          doctor) words="--help --config" ;;
          top) words="--help --config --listen --interval --sort --once" ;;
        esac
        ;;
    esac
  fi
  mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _symcast symcast
