#!/usr/bin/env bash
# Prints the lock events of Lockkeeper as they happen, one line each: id, type and JSON.
#
#   export LOCKKEEPER_URL=http://127.0.0.1:3000 LOCKKEEPER_API_KEY=lk_...
#   bash watch-events.sh                                        # all events
#   bash watch-events.sh 'key=lock:orders:*&type=expired,gap'   # a filter, as a query string
#
# Reconnects after every failure and resumes after the last event that it printed. A `gap` or `reset` line means that
# events were missed; `snapshot` lines with the held locks follow a `reset`. Events without an id (printed as `-`) are
# not replayed after a reconnect. Needs bash 4.4 and curl 7.55.
set -u
url=$LOCKKEEPER_URL/api/v1/events${1:+?$1}
last_id='' pause=1
trap 'kill "$!" 2>/dev/null' EXIT

while :; do
  status=none id='' event='' data='' other=''
  while IFS= read -r line || [[ $line ]]; do
    line=${line%$'\r'}
    case $line in
      HTTP/*) status=${line#* } status=${status%% *} ;;
      'id: '*) id=${line#id: } ;;
      'event: '*) event=${line#event: } ;;
      'data: '*) data=${line#data: } ;;
      '') # An empty line completes a message. Half a message is dropped, and sent again.
        if [[ $event == hello || $event == reset ]]; then
          pause=1 # The stream works. Before the first event, resume where the stream began.
          if [[ -z $last_id ]]; then
            last_id=0-0
            [[ $data =~ \"newest\":\"([0-9-]+)\" ]] && last_id=${BASH_REMATCH[1]}
          fi
        fi
        [[ $event && $event != hello ]] && printf '%s\n' "${id:--} $event $data"
        last_id=${id:-$last_id} # also without an event: the id of one that was sent before it had an id
        id='' event='' data=''
        ;;
      *) other=$line ;;
    esac
  done < <( # The server sends a keep-alive every 5 s; curl gives up after 15 s of silence.
    exec curl -qgsSNi --connect-timeout 10 --speed-limit 1 --speed-time 15 -H @- "$url" <<END
Authorization: Bearer $LOCKKEEPER_API_KEY
${last_id:+Last-Event-ID: $last_id}
END
  )
  if [[ $status == 4?? && $status != 408 && $status != 429 ]]; then
    echo "watch-events: refused: $other" >&2
    exit 1
  fi
  echo "watch-events: disconnected (HTTP status $status), next attempt in $pause s" >&2
  sleep "$pause"
  pause=$((pause < 15 ? pause * 2 : 30))
done
