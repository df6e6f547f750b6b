"""Consumes the change log and the platform events with the event classes of today's client, in
the way of its actions framework: names of records are asked for, and values are tuples.

Usage: consume.py BROKER REGISTRY PREFIX COUNT; prints what came, one a line.
"""
import importlib.resources
import json
import sys
import uuid

from confluent_kafka import DeserializingConsumer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import StringDeserializer
from datahub.emitter.serialization_helper import post_json_transform
from datahub.metadata.schema_classes import (
    ASPECT_NAME_MAP,
    AuditStampClass,
    EntityChangeEventClass,
    GenericPayloadClass,
    MetadataChangeLogClass,
)

broker, registry_url, prefix, count = *sys.argv[1:4], int(sys.argv[4])
registry = SchemaRegistryClient({"url": registry_url})


def own(name):
    """The client's own schema of an event."""
    return (importlib.resources.files("datahub.metadata.schemas") / f"{name}.avsc").read_text()


def values(topic, named, schema=None):
    """Values of a topic as a consumer gets them, without end."""
    consumer = DeserializingConsumer({
        "bootstrap.servers": broker,
        "group.id": str(uuid.uuid4()),
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "key.deserializer": StringDeserializer("utf_8"),
        "value.deserializer": AvroDeserializer(registry, schema, return_record_name=named),
    })
    consumer.subscribe([prefix + topic])
    try:
        while True:
            message = consumer.poll(60)
            assert message is not None, f"no more came from {topic}"
            assert message.error() is None, message.error()
            yield message.key(), message.value()
    finally:
        consumer.close()


def described(values_of_topic):
    """Descriptions in the change log, by URN, until there are as many as are expected."""
    found = {}
    for key, value in values_of_topic:
        event = MetadataChangeLogClass.from_obj(value, True)
        assert event.validate() and event.entityUrn == key and event.created is not None and event.systemMetadata is not None, event
        if event.aspect is not None:
            aspect = ASPECT_NAME_MAP[event.aspectName].from_obj(post_json_transform(json.loads(event.aspect.value)))
            assert aspect.validate(), event
            if event.aspectName == "datasetProperties":
                found[event.entityUrn] = aspect.description
        if len(found) == count:
            return found


log = described(values("MetadataChangeLog_Versioned_v1", named=True))
# A consumer that names its own schema resolves what was written to it.
assert log == described(values("MetadataChangeLog_Versioned_v1", named=False, schema=own("MetadataChangeLog")))
for urn, description in sorted(log.items()):
    print("log", urn, description)

documented = {}
for key, value in values("PlatformEvent_v1", named=True, schema=own("PlatformEvent")):
    assert value["name"] == "entityChangeEvent" and value["header"]["timestampMillis"] > 0, value
    payload = GenericPayloadClass.from_obj(post_json_transform(value["payload"]))
    members = json.loads(payload.value)
    parameters = members.pop("parameters", {})
    stamp = AuditStampClass.from_obj(members.pop("auditStamp"))
    event = EntityChangeEventClass(auditStamp=stamp, **members)
    assert event.validate() and event.entityUrn == key, event
    if event.category == "DOCUMENTATION":
        documented[event.entityUrn] = parameters["description"]
    if len(documented) == count:
        break
for urn, description in sorted(documented.items()):
    print("event", urn, description)
