#!/usr/bin/env bash
# Runs Apache Kafka 3.9, one broker, in the foreground, without Docker. See ../README.md.
set -euo pipefail
cd "$(dirname "$0")/kafka"
dir=${1:?data directory} port=${2:?port} controller=${3:?port of the controller} more=${4:-}
jars=${HEADWATER_CACHE:-$HOME/.cache/headwater}/kafka-3.9.0
mkdir -p "$jars" "$dir"
dir=$(cd "$dir" && pwd)
(
  flock 9
  if [ ! -f "$jars/complete" ]; then
    echo "installing Kafka 3.9.0 into $jars" >&2
    # Maven ends its output with escape codes and without an end of line, so the output after it
    # would not begin a line.
    mvn -q -B -f pom.xml dependency:copy-dependencies -DoutputDirectory="$jars" >"$jars/install.log" 2>&1 || {
      cat "$jars/install.log" >&2
      exit 1
    }
    touch "$jars/complete"
  fi
) 9>"$jars/lock"
cat > "$dir/server.properties" <<END
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$dir/log
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
END
if [ -n "$more" ]; then cat "$more" >> "$dir/server.properties"; fi # if a setting is given twice, the last one counts
if [ ! -d "$dir/log" ]; then
  java -cp "$jars/*" kafka.tools.StorageTool format -t aGVhZHdhdGVyLWthZmthMQ -c "$dir/server.properties" >&2
fi
exec java "-Xmx${KAFKA_HEAP:-512m}" -cp "$jars/*" kafka.Kafka "$dir/server.properties"
