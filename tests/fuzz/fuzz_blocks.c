/* Fuzz target: block files. Each input is read twice: unchanged, and with its magic, version and
 * checksums corrected. The second read reaches the code after the checksum tests. */
#include "codec/blocks_format.h"
#include "fuzz_trace.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_all(const uint8_t *bytes, size_t size)
{
    struct memory_file file;
    struct blocks_reader *reader;
    struct blocks_segment segment;
    struct error err = {""};
    uint32_t block[CODEC_WORDS];
    bool end = false, ok;
    memory_file_init(&file, bytes, size);
    ok = blocks_reader_open(&reader, file.path, &err);
    if (ok) {
        while ((ok = blocks_reader_next(reader, &segment, &end, &err)) && !end)
            for (uint32_t i = 0; i < segment.count_count; i++)
                memcpy(block, segment.blocks[segment.counts[i].block], sizeof block);
        blocks_reader_close(reader);
    }
    BUG_ON(!ok && !err.text[0], "a block file is refused without a message");
    memory_file_fini(&file);
}

/* Corrects the checksums of the header and of each segment. Stops at the first invalid segment. */
static void
mend(uint8_t *bytes, size_t size)
{
    struct blocks_header header;
    struct blocks_chunk chunk;
    size_t at = sizeof header;
    if (size < sizeof header)
        return;
    memcpy(&header, bytes, sizeof header);
    memcpy(header.magic, BLOCKS_MAGIC, sizeof header.magic);
    header.version = BLOCKS_VERSION;
    header.crc = blocks_crc(&header, offsetof(struct blocks_header, crc));
    memcpy(bytes, &header, sizeof header);
    for (; size - at >= sizeof chunk; at += chunk.packed_bytes) {
        memcpy(&chunk, bytes + at, sizeof chunk);
        at += sizeof chunk;
        if (chunk.magic != BLOCKS_CHUNK_MAGIC || chunk.packed_bytes > size - at)
            return;
        chunk.payload_crc = blocks_crc(bytes + at, chunk.packed_bytes);
        chunk.header_crc = blocks_crc(&chunk, offsetof(struct blocks_chunk, header_crc));
        memcpy(bytes + at - sizeof chunk, &chunk, sizeof chunk);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    read_all(data, size);
    memcpy(bytes, data, size);
    mend(bytes, size);
    read_all(bytes, size);
    free(bytes);
    return 0;
}
