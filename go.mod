module github.com/fleet-tools/fleet

go 1.26

require (
	github.com/BurntSushi/toml v1.6.0
	github.com/clipperhouse/displaywidth v0.11.0
	github.com/go-git/gcfg/v2 v2.0.2
	github.com/itchyny/gojq v0.12.20
	github.com/jessevdk/go-flags v1.6.1
	github.com/kr/pretty v0.3.1
	github.com/natefinch/atomic v1.0.1
	github.com/rogpeppe/go-internal v1.16.0
	github.com/yuin/goldmark v1.8.7
	go.yaml.in/yaml/v4 v4.0.0
)

require github.com/go-json-experiment/json v1.27.2

require golang.org/x/mod v0.21.0

require (
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/itchyny/timefmt-go v0.1.9 // indirect
	github.com/kr/text v0.2.0 // indirect
	golang.org/x/sys v0.41.0
	golang.org/x/tools v0.26.0 // indirect
	howett.net/plist v1.0.1
)
