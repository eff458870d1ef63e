# Completion of symcast(1) for fish.
complete -c symcast -f
complete -c symcast -n __fish_use_subcommand -a serve -d 'Run the server'
complete -c symcast -n __fish_use_subcommand -a check -d 'Check a configuration'
complete -c symcast -n __fish_use_subcommand -a doctor -d 'Show what this machine supports'
complete -c symcast -n __fish_use_subcommand -a top -d "Show the viewers' TCP connections"
complete -c symcast -n __fish_use_subcommand -l version -d 'Print the version'
complete -c symcast -l help -d 'Print help'

complete -c symcast -n '__fish_seen_subcommand_from serve doctor top' -l config -rF -d Configuration
complete -c symcast -n '__fish_seen_subcommand_from serve top' -l listen -x -d 'Address and port'

complete -c symcast -n '__fish_seen_subcommand_from serve' -l source -x -d 'NAME=URI'
complete -c symcast -n '__fish_seen_subcommand_from serve' -l policy -xa 'symbiosis itcp off'
complete -c symcast -n '__fish_seen_subcommand_from serve' -l congestion-control \
  -xa '(string split " " </proc/sys/net/ipv4/tcp_available_congestion_control)'
complete -c symcast -n '__fish_seen_subcommand_from serve' -l trace -xa '(__fish_complete_directories)'
complete -c symcast -n '__fish_seen_subcommand_from serve' -l log-level -xa 'debug info warning error'

complete -c symcast -n '__fish_seen_subcommand_from check' -F
complete -c symcast -n '__fish_seen_subcommand_from check' -l show -d 'Print all settings in effect'
complete -c symcast -n '__fish_seen_subcommand_from check' -l reference -d 'Print every key, explained'

complete -c symcast -n '__fish_seen_subcommand_from top' -l interval -x -d 'Time between tables'
complete -c symcast -n '__fish_seen_subcommand_from top' -l sort \
  -xa 'trouble rate rtt retransmits unsent'
complete -c symcast -n '__fish_seen_subcommand_from top' -l once -d 'Print one table and exit'
